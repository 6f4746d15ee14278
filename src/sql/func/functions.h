/* SPDX-License-Identifier: Apache-2.0
 * functions.h - the table of scalar functions and operators: name, arguments, result, kernel, flags, prepare, result type, example, answer.
 *
 * Invariants: rows are sorted by lower-case name, rows of one name lie together (a test checks it); look-up is a binary search.
 *             The example evaluates to the answer in the row's dialect (postgres where both), zone UTC. Operators stand as the parser names them.
 * To add:     one row in functions_operators.inc, functions_a_to_l.inc or functions_m_to_z.inc, and its kernel func__<kernel> in the family's file.
 *             No include guard: included with FN defined. */
#include "sql/func/functions_operators.inc"
#include "sql/func/functions_a_to_l.inc"
#include "sql/func/functions_m_to_z.inc"
