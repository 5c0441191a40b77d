import { signal } from '@preact/signals'

export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The time zone of the account; '' if it has none, or until it is read. */
export const accountZone = signal('')

/** All time zones that the browser supports, and those in `more`: pairs of name and label. */
export const listTimeZones = (...more: readonly string[]) =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...more])]
    .sort()
    .map((zone) => [zone, zone.replaceAll('_', ' ')] as const)
