import { readPhone } from '../../portable/phone/read-phone.ts'

/** Names of a SIM's number in what devices report. sms_sim_list.sql repeats them. */
const NUMBERS = ['number', 'phoneNumber', 'phone']

/** The SIMs that a device reports, with their numbers in E.164 where they can be read. */
export const completeSimCards = (sims: readonly unknown[]): unknown[] =>
  sims.map((sim) => (typeof sim === 'object' && sim !== null ? completeSim(sim as Sim) : sim))

type Sim = Readonly<Record<string, unknown>>

function completeSim(sim: Sim): Sim {
  const country = [sim.country, sim.countryIso].find((one) => typeof one === 'string') ?? ''
  const numbers = NUMBERS.flatMap((name) => {
    const { phone } = readPhone(typeof sim[name] === 'string' ? sim[name] : '', String(country))
    return phone ? [[name, phone]] : []
  })
  return { ...sim, ...Object.fromEntries(numbers) }
}
