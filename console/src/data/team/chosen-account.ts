import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { findPersonalClient, own } from '../client.ts'
import type { MemberRole } from '../record-types.ts'
import { rememberSignal } from '../remembered.ts'
import {
  accountNames,
  actForAccount,
  endedAccount,
  noteEndedAccount,
  type Session,
  stopActing,
} from '../session.ts'

interface Account {
  readonly id: string
  readonly name: string
  readonly role: MemberRole
  /** The provider by which the person must sign in again first; '' for none. */
  readonly sign_in_by: string
}

/** The account that each person last chose in this browser, by the person's id. */
const chosen = rememberSignal<Readonly<Record<string, string>>>('account', {})

/** An account that the person would see now, had their directory confirmed it today. */
export const unproven = signal<Account | null>(null)

/** Keeps the id of a person whom this window shows their own account, until they sign out. */
const AS_THEMSELVES = 'pocketsms.draft.as-themselves'
const actAsThemselves = (person: string) => sessionStorage.setItem(AS_THEMSELVES, person)

/** The address that was open when the person signed in, until an account was chosen for them. */
let asked = ''

/** Returns the address that a sign-in asked for, once; '' if the person chose the account. */
export function takeAskedPlace(): string {
  const taken = asked
  asked = ''
  return taken
}

/** Switches to an account: the person's own, or one that the person may act for. */
export async function chooseAccount(person: string, account: string): Promise<void> {
  asked = ''
  actAsThemselves(account === person ? person : '')
  if (account === person) stopActing()
  else await actForAccount(account)
  endedAccount.value = null
  chosen.value = { ...chosen.value, [person]: account }
}

/**
 * The accounts that a user may act for. After a sign-in, switches to the account chosen last. If none was
 * chosen, switches users without an account of their own to the first that works. Switches users with an
 * empty account to their team's, if they have only one team.
 */
export function useAccounts({ role, person, record, isVisit }: Session): readonly Account[] {
  const [accounts, setAccounts] = useState<readonly Account[]>([])
  useEffect(() => {
    if (role !== 'user' || isVisit) return
    let isCurrent = true
    const opened = location.hash
    // false once the person has signed out, or chosen an account
    const isWanted = () => isCurrent && sessionStorage.getItem(AS_THEMSELVES) !== person.id
    const read = async () => {
      const found = await findPersonalClient().send<readonly Account[]>('/api/account/accounts', {})
      if (!isCurrent) return
      for (const { id, name } of found) accountNames.set(id, name)
      setAccounts(found)
      const last = found.filter(({ id }) => id === chosen.value[person.id])
      const wanted = person.member_only ? [...last, ...found] : last
      unproven.value = wanted.find(({ sign_in_by }) => sign_in_by !== '') ?? null
      if (own.authStore.isValid || endedAccount.value || !isWanted()) return
      asked = opened
      if (person.member_only) return actForFirstAccount(wanted, isWanted)
      const isOnlyTeam =
        !(person.id in chosen.value) && found.length === 1 && (await hasNoAccount())
      await actForFirstAccount(isOnlyTeam ? found : last, isWanted)
      if (isCurrent && found.length > 0 && !own.authStore.isValid) actAsThemselves(person.id)
    }
    read().catch(() => {}) // the next sign-in or change of account asks again
    return () => {
      isCurrent = false
    }
  }, [role, person.id, record.id])
  return accounts
}

/** Whether the person's own account has neither devices nor texts. */
async function hasNoAccount(): Promise<boolean> {
  const first = { fields: 'id', skipTotal: true }
  const found = await Promise.all(
    ['devices', 'sms_messages'].map((name) =>
      findPersonalClient().collection(name).getList(1, 1, first),
    ),
  )
  return found.every(({ items }) => items.length === 0)
}

async function actForFirstAccount(
  accounts: readonly Account[],
  isWanted: () => boolean,
): Promise<void> {
  let refused: (() => void) | undefined
  for (const { id, name } of accounts) {
    if (!isWanted()) return
    try {
      return await actForAccount(id, isWanted)
    } catch (error) {
      refused ??= () => noteEndedAccount(id, name, error) // tries the next one
    }
  }
  refused?.()
}
