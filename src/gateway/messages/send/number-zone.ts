import zones from './time-zones.json' with { type: 'json' }

/** Maps calling codes (ITU-T E.164) to the IANA time zone of nearly all their people, if there is one. */
const ZONES: Readonly<Record<string, string>> = zones

/** The time zone of an E.164 number by its calling code; '' if the code has several zones. */
export const zoneOfNumber = (phone: string): string =>
  ZONES[phone.slice(1, 4)] ?? ZONES[phone.slice(1, 3)] ?? ''
