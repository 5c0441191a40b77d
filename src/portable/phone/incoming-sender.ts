import { type PhoneProblem, readPhone } from './read-phone.ts'

/** Faults that a country could cure. */
const NEEDS_COUNTRY: ReadonlySet<PhoneProblem> = new Set<PhoneProblem>([
  'no-country',
  'short-code',
  'too-long',
  'too-short',
  'unknown-country',
  'wrong-length',
])

/** Whether a sender may become a number once the country of the SIM that received its text is known. */
export function needsCountry(sender: string): boolean {
  const { fault } = readPhone(sender)
  return fault !== undefined && NEEDS_COUNTRY.has(fault.problem)
}

/** Returns E.164; names, short codes and unknown countries stay. `country`: ISO 3166, or '', of the SIM. */
export const readSender = (sender: string, country: string): string =>
  readPhone(sender, country, { bare: country === '' ? 'home' : 'world' }).phone ?? sender
