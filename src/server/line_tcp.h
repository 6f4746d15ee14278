/* SPDX-License-Identifier: Apache-2.0
 * line_tcp.h - the line protocol door over TCP. */
#pragma once
#include "net/net.h"

extern const NetHandler SERVER__LINE_HANDLER; /* context: the Server */
