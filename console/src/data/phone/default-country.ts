import { computed, effect } from '@preact/signals'
import { useState } from 'preact/hooks'
import { hasTeamRole } from '../session.ts'
import { HERE } from '../time-zones.ts'
import { ownSettings, saveOwnSettings } from '../user-settings/own.ts'
import { guessCountry } from './guess-country.ts'

const browserCountry = guessCountry(navigator.languages, HERE)

export const defaultCountry = computed(() => ownSettings.value?.country || browserCountry)

/**
 * Saves the browser's country and time zone as the account's, as far as it has none and the person may change
 * them: without a zone, the server counts quiet hours and days by UTC.
 */
effect(() => {
  const settings = ownSettings.value
  if (settings === undefined || !hasTeamRole('admin')) return
  const country: Choices = settings?.country || !browserCountry ? {} : { country: browserCountry }
  const zone: Choices = settings?.time_zone ? {} : { time_zone: HERE }
  if (country.country || zone.time_zone) void adoptChoices({ ...country, ...zone }, country)
})

type Choices = Readonly<Partial<Record<'country' | 'time_zone', string>>>

/** Saves `all`, or `others` if the server does not know the time zone. */
async function adoptChoices(all: Choices, others: Choices): Promise<void> {
  try {
    await saveOwnSettings(all)
  } catch {
    // what fails here is tried again when the console is next opened
    if (others.country) await saveOwnSettings(others).catch(() => {})
  }
}

/** The country of numbers typed without a calling code: the account's until the user chooses another. */
export function useCountry(): readonly [country: string, choose: (country: string) => void] {
  const [chosen, choose] = useState('')
  return [chosen || defaultCountry.value, choose]
}
