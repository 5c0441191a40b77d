/** The zone that this browser is set to. */
export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Names of all zones that the browser knows, with what it shows for each, and those in `more`. */
export const timeZones = (...more: readonly string[]) =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...more])]
    .sort()
    .map((zone) => [zone, zone.replaceAll('_', ' ')] as const)
