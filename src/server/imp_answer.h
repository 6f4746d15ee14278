/* SPDX-License-Identifier: Apache-2.0
 * imp_answer.h - answers of /imp: JSON, or the table of plain text that curl users see. */
#pragma once
#include "load/load.h"
#include "server/server_internal.h"

void imp_answer_failure(Request *request, bool json);  /* request->error */
void imp_answer_report(Request *request, Str table, const LoadReport *report, bool json);
