import { z } from 'zod'
import { toDate } from '../../engine/fields/parse-date.ts'

/** A stored date in RFC 2822's form, `Sat, 21 Nov 2026 07:00:00 +0000`; null for none. */
export const formatTwilioDate = (stored: string): string | null =>
  toDate(stored)?.toUTCString().replace('GMT', '+0000') ?? null

const DAY = z.iso.date()
const INSTANT = z.iso.datetime({ offset: true, local: true })

/** Reads a day, or an instant in ISO 8601 (UTC if it has no zone); else undefined. `ms`: since 1970. */
export function readRequestDate(text: string) {
  if (DAY.safeParse(text).success) return { ms: Date.parse(text), isDay: true }
  const colons = text.toUpperCase().replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
  const instant = colons.replace(/(T\d\d:\d\d)(?=Z|[+-]|$)/, '$1:00')
  if (!INSTANT.safeParse(instant).success) return undefined
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(instant)
  return { ms: Date.parse(hasZone ? instant : `${instant}Z`), isDay: false }
}

/** A stored date as ISO 8601 without milliseconds, which all libraries read. */
export const formatIsoDate = (stored: string): string =>
  `${toDate(stored)!.toISOString().slice(0, 19)}Z`
