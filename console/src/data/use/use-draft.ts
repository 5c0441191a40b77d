import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { namePerson } from '../session.ts'
import { chosenFiles } from './chosen-files.ts'
import { isSameValue, mergeFreshMembers, pickChangedMembers } from './draft-members.ts'

export interface Draft<T> {
  readonly value: T
  readonly isChanged: boolean
  /** The members that the user changed. A save sends only these: the rest may have changed on the server. */
  readonly changes: Partial<T>
  set(value: T): void
  change(part: Partial<T>): void
  /** Call this after a save or send. `value` is the stored value to show; by default the typed one stays. */
  saved(value?: T): void
  /** Call this when `value` was stored while the user typed on. The typed value stays, as a change of it. */
  savedAs(value: T): void
  discard(): void
}

/** The words of a question before the user leaves a page. */
interface LeavingWords {
  readonly title: string
  readonly text: string
  readonly action: string
}

interface Options<T> {
  /**
   * Asks before the user leaves the page with unsaved changes, and discards them if the user agrees: in the
   * words given here, or in those that all forms share.
   */
  readonly asks?: boolean | LeavingWords
  /** Keeps the draft even if the stored value changed while the page was closed. */
  readonly lasts?: boolean
  /** Members that must not be kept in sessionStorage, such as passwords. */
  readonly secrets?: readonly (keyof T)[]
}

const PREFIX = 'pocketsms.draft.'
/** Unsaved drafts, by key: of forms that ask before they are left (option `asks`). */
const unsaved = new Map<
  string,
  { readonly asks: true | LeavingWords; readonly discard: () => void }
>()

export const hasUnsavedDrafts = (): boolean => unsaved.size > 0

/** The words of each question to ask before the unsaved drafts are discarded; `shared` without own words. */
export const findLeavingWords = <T>(shared: T): ReadonlySet<T | LeavingWords> =>
  new Set([...unsaved.values()].map(({ asks }) => (asks === true ? shared : asks)))

export function discardUnsavedDrafts(): void {
  for (const { discard } of unsaved.values()) discard()
  unsaved.clear()
}

/** Deletes all drafts of this tab and the files that were chosen for them, for a sign-out. */
export function forgetDrafts(): void {
  chosenFiles.clear()
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}

const nameDraft = (key: string) => `${PREFIX}${namePerson()}.${key}`

/** Drafts of a former version, which named the account alone: they may be a colleague's. */
const OF_AN_ACCOUNT = /^pocketsms\.draft\.[a-z0-9]{15}\.(?![a-z0-9]{15}\.)/

/** Deletes drafts whose writer is unknown. */
export function forgetDraftsOfAccounts(): void {
  for (const key of Object.keys(sessionStorage))
    if (OF_AN_ACCOUNT.test(key)) sessionStorage.removeItem(key)
}

/** Whether this tab keeps a draft of `useDraft(key, initial)`. */
export const hasDraft = <T>(key: string, initial: T): boolean =>
  !isSameValue(readDraft(nameDraft(key), initial, false), initial)

/**
 * Form state that the tab keeps until it is saved, sent or discarded, even if the user leaves the page. `key`
 * names the form and its record. When the stored value `initial` changes, members that the user has not
 * changed follow it. Drops a draft whose record changed while the page was closed, unless `lasts` is true.
 */
export function useDraft<T>(
  key: string,
  initial: T,
  { asks = false, lasts = false, secrets = [] }: Options<T> = {},
): Draft<T> {
  const name = nameDraft(key)
  const [stored, setStored] = useState(initial)
  const [value, setValue] = useState(() => readDraft(name, initial, lasts))
  const seen = useRef(initial)
  const isChanged = !isSameValue(value, stored)
  const discard = () => {
    sessionStorage.removeItem(name)
    setValue(stored)
  }
  useLayoutEffect(() => {
    if (isSameValue(seen.current, initial)) return
    seen.current = initial
    setStored(initial)
    setValue((now) => mergeFreshMembers(stored, initial, now))
  })
  useLayoutEffect(() => {
    if (isChanged) storeDraft(name, { of: stored, value: dropSecrets(value, secrets) })
    else sessionStorage.removeItem(name)
    if (!asks || !isChanged) return
    unsaved.set(key, { asks, discard })
    return () => void unsaved.delete(key)
  }, [name, value, stored])
  return {
    value,
    isChanged,
    get changes() {
      return typeof value === 'object' ? pickChangedMembers(stored as object, value as object) : {}
    },
    set: setValue,
    change: (part) => setValue((old) => ({ ...old, ...part })),
    saved(now) {
      sessionStorage.removeItem(name)
      setStored(now ?? value)
      if (now !== undefined) setValue(now)
    },
    savedAs: setStored,
    discard,
  }
}

function storeDraft(name: string, draft: object): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(draft))
  } catch {} // without storage, the form still works
}

function readDraft<T>(name: string, initial: T, lasts: boolean): T {
  try {
    const { of, value = initial } = JSON.parse(sessionStorage.getItem(name) ?? '{}')
    if (!lasts && !isSameValue(of, initial)) return initial
    return typeof initial === 'object' ? { ...initial, ...value } : value
  } catch {
    return initial
  }
}

const dropSecrets = <T>(value: T, secrets: readonly (keyof T)[]): T =>
  secrets.length === 0
    ? value
    : (Object.fromEntries(
        Object.entries(value as object).filter(([name]) => !secrets.includes(name as keyof T)),
      ) as T)
