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

/**
 * The sender of a text in E.164. Names, short codes and numbers whose country is unknown stay as they are.
 * `country`: ISO 3166 alpha-2, or '' for none, of the SIM that received the text.
 */
export const readSender = (sender: string, country: string): string =>
  readPhone(sender, country, { bare: country === '' ? 'home' : 'world' }).phone ?? sender
