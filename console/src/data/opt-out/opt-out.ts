import { pb } from '../client.ts'
import { type Fault, readFault } from '../fault.ts'
import type { Consent, Message } from '../record-types.ts'
import { rememberForPerson } from '../remember-for-person.ts'
import { readUserId } from '../session.ts'
import { workInParallel } from '../use/use-task.ts'

const addEntry = (entry: Partial<Consent>) =>
  pb.collection('consents').create({ user: readUserId(), source: 'console', ...entry })

/** Opts a number out because of a text of the person, which becomes the proof. */
export const optOutByText = ({ id, from, body }: Message): Promise<unknown> =>
  addEntry({ number: from, event: 'opt_out', message: id, said: body })

/** Texts that read like an opt-out of which the person has said that they are none: the newest first. */
const declined = rememberForPerson<readonly string[]>('opt-outs-declined', [])
const MOST_DECLINED = 100

export const isDeclined = (text: string): boolean => declined.value.includes(text)
export const declineOptOut = (text: string): void => {
  declined.value = [text, ...declined.value].slice(0, MOST_DECLINED)
}

/** For how long an opt-out can be undone: shorter than at the server. */
export const UNDO_MS = 60_000

/**
 * Undoes opt-outs that this person has just entered: the states of consent are then as before. Returns the
 * faults of those that stay, as of people who have texted STOP since.
 */
export async function undoOptOuts(numbers: readonly string[]): Promise<readonly Fault[]> {
  const faults: Fault[] = []
  await workInParallel(numbers, (number) =>
    addEntry({ number, event: 'undone' }).then(
      () => {},
      (error) => void faults.push(readFault(error)),
    ),
  )
  return faults
}
