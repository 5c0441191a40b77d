import { goToPage, place } from '../router.ts'
import { forgetSharedFiles } from './files/shared-files.ts'
import { session } from './session.ts'
import { forgetDraftsOfAccounts } from './use/use-draft.ts'

/** The item of sessionStorage with the person whom this tab showed last, and the address at the end. */
const LAST = 'pocketsms.last-person'

interface Last {
  readonly person: string
  /** Absent while the person is signed in. */
  readonly ended?: string
}

function readLast(): Last | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(LAST) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/**
 * Takes what a person has typed out of the address, and the files that they shared from the cache, when
 * another person signs in in this tab. An address that was opened meanwhile stays.
 */
export function watchNextPerson(): void {
  forgetDraftsOfAccounts()
  session.subscribe((now) => {
    const last = readLast()
    const isOther = now && last && last.person !== now.person.id
    if (isOther && (last.ended ?? location.hash) === location.hash) {
      forgetSharedFiles()
      goToPage(place.peek().path, {}, true)
    }
    const next = now ? { person: now.person.id } : last && { ended: location.hash, ...last }
    try {
      if (next) sessionStorage.setItem(LAST, JSON.stringify(next))
    } catch {} // without storage, the address stays
  })
}
