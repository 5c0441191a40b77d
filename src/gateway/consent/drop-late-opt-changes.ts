import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'

/** An opt-out or opt-in. `said`: its text. */
export interface OptChange {
  readonly sender: string
  readonly isOut: boolean
  readonly said: string
  /** The id of the message. */
  readonly message: string
  /** The group that the text joins. */
  readonly group?: string | undefined
}

/**
 * Drops opt-ins that are older than an opt-out of the same sender: a text may arrive after a newer one, and
 * after the person or the account has entered an opt-out otherwise.
 */
export async function dropLateChanges<Change extends OptChange>(
  db: Db,
  user: string,
  said: readonly Change[],
): Promise<readonly Change[]> {
  const kept: Change[] = []
  for (const one of said) if (one.isOut || !(await isLateChange(db, user, one))) kept.push(one)
  return kept
}

async function isLateChange(
  db: Db,
  user: string,
  { sender, group = '', message }: OptChange,
): Promise<boolean> {
  return callFunction(
    db,
    'consent_is_late',
    user,
    sender,
    group,
    group === '' ? 'all' : '',
    message,
    '',
  )
}
