import { useEffect, useState } from 'preact/hooks'
import { own, personal } from '../client.ts'
import { remembered } from '../remembered.ts'
import { actFor, actForNobody, endedAccount, type Session } from '../session.ts'
import type { MemberRole } from './team.ts'

/** An account that the person may act for. */
export interface Account {
  readonly id: string
  readonly name: string
  readonly role: MemberRole
}

/** The account that each person last chose in this browser, by their id. */
const chosen = remembered<Readonly<Record<string, string>>>('account', {})

/** Shows another account: the person's own, or one that they may act for. */
export async function chooseAccount(person: string, account: string): Promise<void> {
  if (account === person) actForNobody()
  else await actFor(account)
  endedAccount.value = ''
  chosen.value = { ...chosen.value, [person]: account }
}

/** The accounts that a user may act for. After a sign-in the one that was chosen last is shown again. */
export function useAccounts({ role, person, record }: Session): readonly Account[] {
  const [accounts, setAccounts] = useState<readonly Account[]>([])
  useEffect(() => {
    if (role !== 'user') return
    const read = async () => {
      const found = await personal().send<readonly Account[]>('/api/account/accounts', {})
      setAccounts(found)
      const last = chosen.value[person.id]
      const isEnded = endedAccount.value !== ''
      if (!own.authStore.isValid && !isEnded && found.some(({ id }) => id === last)) await actFor(last!)
    }
    read().catch(() => {}) // the next sign-in or change of account asks again
  }, [role, person.id, record.id])
  return accounts
}
