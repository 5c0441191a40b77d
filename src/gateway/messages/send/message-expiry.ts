import type { z } from 'zod'
import { formatDate, toDate } from '../../../engine/fields/parse-date.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { SEND } from './send-body-schema.ts'

/** The last PocketBase date: a later year has five digits, which sort wrongly as text. */
const END_OF_TIME = '9999-12-31 23:59:59.999Z'

/** The date if it is later than now; else '', which means immediately. */
export const keepFutureDate = (date: string | null | undefined, now: Date) =>
  date && date > formatDate(now) ? date : ''

/** An instant as a PocketBase date, at most END_OF_TIME. */
export const formatInstant = (ms: number): string =>
  ms < toDate(END_OF_TIME)!.getTime() ? formatDate(new Date(ms)) : END_OF_TIME

/** Moves an expiry along when `due` moves to `ms` (since 1970); '' for no expiry. */
export const moveExpiry = (expiresAt: string, due: string, ms: number): string =>
  expiresAt && formatInstant(ms + toDate(expiresAt)!.getTime() - toDate(due)!.getTime())

/** Throws 400 `invalid_request` for both `ttl` and `expires_at`, or if `expires_at` is not after `due`. */
export function checkExpiry(
  { ttl, expires_at }: Pick<z.output<typeof SEND>, 'ttl' | 'expires_at'>,
  due: string,
): void {
  if (ttl && expires_at) throw invalidRequest('ttl and expires_at exclude each other')
  if (expires_at && expires_at <= due) throw makeExpiryError()
}

export const makeExpiryError = () =>
  invalidRequest('expires_at must lie in the future, after scheduled_at')
