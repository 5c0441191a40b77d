import { useEffect, useMemo, useRef } from 'preact/hooks'
import { pb } from '../client.ts'
import type { Member, Sender } from '../record-types.ts'
import { rememberSignal } from '../remembered.ts'
import { readUserId, session } from '../session.ts'
import { type List, useList } from '../use/use-list.ts'

const MAX_PEOPLE = 200

export const isPerson = (sender: Sender | undefined): boolean =>
  sender?.kind === 'owner' || sender?.kind === 'member'

/** Whether the sender is a person of the team other than the user. */
export const isColleague = (sender: Sender | undefined): boolean =>
  isPerson(sender) && sender?.id !== session.value?.sender

export interface People {
  /** The current owner and members. */
  readonly all: readonly Sender[]
  /** The people who may answer texts. */
  readonly agents: readonly Sender[]
  readonly members: List<Member>
  readonly hasTeam: boolean
  /** The ids of `agents`; while these are read, as this browser knew them last, so that views keep places. */
  readonly agentIds: readonly string[]
  findName(sender: string): string
}

const kept = rememberSignal('team', {
  account: '',
  hasTeam: false,
  agents: [] as readonly string[],
})

/** Whether the owner's account has members. Asks the server if this browser does not know the account yet. */
export async function hasMembers(account: string): Promise<boolean> {
  const { account: known, hasTeam } = kept.peek()
  if (known === account) return hasTeam
  const filter = pb.filter('account = {:account}', { account })
  const options = { filter, fields: 'id', skipTotal: true }
  const { items } = await pb.collection<Member>('members').getList(1, 1, options)
  return items.length > 0
}

export function usePeople(): People {
  const senders = useList<Sender>('senders', {
    filter: 'kind = "owner" || kind = "member"',
    sort: 'name',
    perPage: MAX_PEOPLE,
  })
  const members = useList<Member>('members', {
    filter: pb.filter('account = {:account}', { account: readUserId() }),
    sort: 'created,id',
    perPage: MAX_PEOPLE,
  })
  // reads `senders` again: when a member joins, the server sends no event for the new record in `senders`
  const known = useRef<number>(undefined)
  useEffect(() => {
    if (members.loading) return
    if (known.current !== undefined && known.current !== members.total) void senders.reload()
    known.current = members.total
  }, [members.total, members.loading])
  const people = useMemo((): People & { readonly isReading: boolean } => {
    const roles = new Map(members.items.map(({ id, role }) => [id, role]))
    const all = senders.items.filter(({ id, kind }) => kind === 'owner' || roles.has(id))
    const agents = all.filter(({ id }) => roles.get(id) !== 'viewer')
    const isReading = senders.loading || members.loading
    const last = isReading && kept.peek().account === readUserId() ? kept.peek() : undefined
    return {
      all,
      agents,
      members,
      isReading,
      hasTeam: last?.hasTeam ?? all.length > 1,
      agentIds: last?.agents ?? agents.map(({ id }) => id),
      findName: (sender) => senders.items.find(({ id }) => id === sender)?.name ?? '',
    }
  }, [senders.items, senders.loading, members.items, members.loading, members.fault])
  useEffect(() => {
    const { isReading, hasTeam, agentIds: agents } = people
    if (!isReading && !senders.fault && !members.fault)
      kept.value = { account: readUserId(), hasTeam, agents }
  }, [people])
  return people
}
