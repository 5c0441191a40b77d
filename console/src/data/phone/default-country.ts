import { computed, effect } from '@preact/signals'
import { useState } from 'preact/hooks'
import { hasTeamRole } from '../session.ts'
import { HERE } from '../time-zones.ts'
import { ownSettings, saveOwnSettings } from '../user-settings/own.ts'
import { guessCountry } from './guess-country.ts'

const browserCountry = guessCountry(navigator.languages, HERE)

export const defaultCountry = computed(() => ownSettings.value?.country || browserCountry)

/** Saves the browser's country as the account's, if the account has none and the person may change it. */
effect(() => {
  if (
    ownSettings.value === undefined ||
    ownSettings.value?.country ||
    !browserCountry ||
    !hasTeamRole('admin')
  )
    return
  void saveOwnSettings({ country: browserCountry }).catch(() => {}) // tried again when the console is next opened
})

/** The country of numbers typed without a calling code: the account's until the user chooses another. */
export function useCountry(): readonly [country: string, choose: (country: string) => void] {
  const [chosen, choose] = useState('')
  return [chosen || defaultCountry.value, choose]
}
