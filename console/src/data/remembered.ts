import { effect, type Signal, signal } from '@preact/signals'

/** A signal that this browser remembers under `pocketsms.KEY`. What cannot be read counts as unset. */
export function remembered<T>(key: string, unset: T): Signal<T> {
  const name = `pocketsms.${key}`
  const kept = signal(read(name, unset))
  effect(() => {
    const { value } = kept
    try {
      localStorage.setItem(name, JSON.stringify(value))
    } catch {} // a browser that keeps nothing still works
  })
  return kept
}

function read<T>(name: string, unset: T): T {
  try {
    const text = localStorage.getItem(name)
    return text === null ? unset : (JSON.parse(text) as T)
  } catch {
    return unset
  }
}
