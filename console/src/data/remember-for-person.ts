import type { Signal } from '@preact/signals'
import { rememberSignal } from './remembered.ts'
import { namePerson } from './session.ts'

/**
 * A value that this browser keeps for each person in each account, as `rememberSignal` does for all. A value
 * that a former version kept for all goes: it may be a colleague's.
 */
export function rememberForPerson<T>(key: string, unset: T): { value: T } {
  const kept = new Map<string, Signal<T>>()
  try {
    localStorage.removeItem(`pocketsms.${key}`)
  } catch {} // as in Node's tests
  const find = () => {
    const name = `${key}.${namePerson()}`
    const known = kept.get(name) ?? rememberSignal(name, unset)
    kept.set(name, known)
    return known
  }
  return {
    get value() {
      return find().value
    },
    set value(value) {
      find().value = value
    },
  }
}
