import { type RawBuilder, sql } from 'kysely'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'

/** SQL: whether a number, a value or a column, has opted out of all texts of an account. */
export const isStoppedSql = (user: unknown, phone: unknown): RawBuilder<boolean> =>
  sql`(consent_stopped(${user}, array[${phone}]::text[]) <> '{}')`

/** SQL: whether the person of a number was erased from an account, or has opted out of all its texts. */
export const isErasedOrStoppedSql = (user: string, phone: string): RawBuilder<boolean> =>
  sql`(person_stopped(${user}, array[${phone}]) <> '{}' or ${isStoppedSql(user, phone)})`

/** Whether a number has opted out of all texts of an account. */
export const hasStopped = (db: Db, user: string, phone: string): Promise<boolean> =>
  evaluateSql(db, isStoppedSql(user, phone))
