import { useState } from 'preact/hooks'
import { defaultCountry } from './country.ts'

/** The country of numbers that a form gets without one: the account's, until another is chosen there. */
export function useCountry(): readonly [country: string, choose: (country: string) => void] {
  const [chosen, choose] = useState('')
  return [chosen || defaultCountry.value, choose]
}
