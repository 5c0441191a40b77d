import { describeFault } from '../data/fault.ts'
import { UNDO_MS, undoOptOuts } from '../data/opt-out/opt-out.ts'
import { t, tn } from '../language/words.ts'
import { showToast } from './toast.tsx'

const sayPeople = (count: number): string => tn('1 contact', '{count} contacts', count)

/** Says that people were opted out, with Undo for a minute. */
export const showOptedOut = (numbers: readonly string[]): void =>
  showToast(
    t('{people} opted out', { people: sayPeople(numbers.length) }),
    () => void undo(numbers),
    undefined,
    UNDO_MS,
  )

async function undo(numbers: readonly string[]): Promise<void> {
  const faults = await undoOptOuts(numbers)
  const [first] = faults
  showToast(
    first
      ? t('{people} could not be changed: {why}', {
          people: sayPeople(faults.length),
          why: describeFault(first),
        })
      : t('Undone. The record of consent says that it was a mistake.'),
  )
}
