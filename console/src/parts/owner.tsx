import type { User } from '../data/record-types.ts'
import { makePageHref } from '../router.ts'

interface Owned {
  readonly user: string
  readonly expand?: { readonly user?: User }
}

/** A link to the owner of a record, for superusers. The record must be read with `expand: 'user'`. */
export function Owner({ record: { user, expand } }: { record: Owned }) {
  const email = expand?.user?.email
  return email ? (
    <a href={makePageHref('/users', { search: email })}>{email}</a>
  ) : (
    <span>{user || '–'}</span>
  )
}
