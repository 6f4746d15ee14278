/* SPDX-License-Identifier: Apache-2.0
 * source.h - see source.c. */
#pragma once
#include "sql/system/system.h"

RowSource *system_source(SystemView *view, const SystemRelation *relation); /* lives as the view's arena */
