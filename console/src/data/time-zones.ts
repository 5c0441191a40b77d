export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** All time zones that the browser supports, and those in `more`: pairs of name and label. */
export const listTimeZones = (...more: readonly string[]) =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...more])]
    .sort()
    .map((zone) => [zone, zone.replaceAll('_', ' ')] as const)
