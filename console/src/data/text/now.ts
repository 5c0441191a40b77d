import { signal } from '@preact/signals'
import { STEP_MS } from './relative-time.ts'

const step = signal(Date.now())
setInterval(() => {
  step.value = Date.now()
}, STEP_MS)

/** The time in ms since 1970. A component that calls this is drawn again every 15 s. */
export const readNowMs = (): number => Math.max(step.value, Date.now())
