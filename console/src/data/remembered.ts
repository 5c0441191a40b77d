import { effect, type Signal, signal } from '@preact/signals'

/**
 * A signal that all tabs share: localStorage keeps its value as `pocketsms.KEY`. The value is `unset` if
 * nothing readable is stored.
 */
export function rememberSignal<T>(key: string, unset: T): Signal<T> {
  const name = `pocketsms.${key}`
  const kept = signal(readRemembered(name, unset))
  effect(() => {
    const { value } = kept
    try {
      localStorage.setItem(name, JSON.stringify(value))
    } catch {} // without storage, the signal still works in this tab
  })
  // `storage` fires only for changes in other tabs. In Node's tests there is no addEventListener
  globalThis.addEventListener?.('storage', (event) => {
    if (event.key === name) kept.value = readRemembered(name, unset)
  })
  return kept
}

function readRemembered<T>(name: string, unset: T): T {
  try {
    const text = localStorage.getItem(name)
    return text === null ? unset : (JSON.parse(text) as T)
  } catch {
    return unset
  }
}
