import { useMemo } from 'preact/hooks'
import type { ContactGroup } from '../records.ts'
import { type List, useList } from './use-list.ts'

/** Groups that a choice of groups can show. */
const MAX_GROUPS = 500

export interface Groups extends List<ContactGroup> {
  nameOf(id: string): string
}

/** All groups of the user by name, live. */
export function useGroups(): Groups {
  const list = useList<ContactGroup>('contact_groups', { sort: 'name', perPage: MAX_GROUPS })
  const names = useMemo(() => new Map(list.items.map(({ id, name }) => [id, name])), [list.items])
  return { ...list, nameOf: (id) => names.get(id) ?? '' }
}
