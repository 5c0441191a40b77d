import zones from './time-zones.json' with { type: 'json' }

/** Time zones by calling codes with one for nearly all people. ITU-T E.164 list, IANA tz database. */
const ZONES: Readonly<Record<string, string>> = zones

/** The time zone of an E.164 number by its calling code; '' if the code has several. */
export const zoneOfNumber = (phone: string): string =>
  ZONES[phone.slice(1, 4)] ?? ZONES[phone.slice(1, 3)] ?? ''
