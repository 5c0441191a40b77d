import { isCountry } from '../../portable/phone/numbering-plans.ts'
import { readPhone } from '../../portable/phone/read-phone.ts'

/** Names of a SIM's number in what devices report. sms_sim_list.sql repeats them. */
const NUMBERS = ['number', 'phoneNumber', 'phone']
const COUNTRIES = ['country', 'countryIso']

/**
 * The SIMs that a device reports, with their numbers in E.164 where they can be read, and without codes that
 * are no country: else the line would have no country, instead of that of its number or account.
 */
export const completeSimCards = (sims: readonly unknown[]): unknown[] =>
  sims.map((sim) => (typeof sim === 'object' && sim !== null ? completeSim(sim as Sim) : sim))

type Sim = Readonly<Record<string, unknown>>

function completeSim(reported: Sim): Sim {
  const isUnknown = ([name, value]: [string, unknown]) =>
    COUNTRIES.includes(name) && !!value && !isCountry(String(value).toUpperCase())
  const sim: Sim = Object.fromEntries(Object.entries(reported).filter((one) => !isUnknown(one)))
  const country = COUNTRIES.map((name) => sim[name]).find(Boolean) ?? ''
  const numbers = NUMBERS.flatMap((name) => {
    const { phone } = readPhone(typeof sim[name] === 'string' ? sim[name] : '', String(country))
    return phone ? [[name, phone]] : []
  })
  return { ...sim, ...Object.fromEntries(numbers) }
}
