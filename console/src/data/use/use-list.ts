import type { RecordModel } from 'pocketbase'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { locale } from '../../language/language.ts'
import { pb } from '../client.ts'
import { type Fault, readFaultOfRead } from '../fault.ts'
import type { ContactGroup, Line, RecordOf, Template } from '../record-types.ts'
import { keepUnchanged } from './keep-unchanged.ts'
import { findKeptList, keepList } from './last-lists.ts'
import { useLatest } from './use-latest.ts'
import { useLive } from './use-live.ts'
import { useReadAgain } from './use-read-again.ts'
import { useRows } from './use-rows.ts'

export interface ListOptions {
  readonly filter?: string
  /** Sort fields as in the API. Default: newest first. */
  readonly sort?: string
  /** Whether texts are sorted by the person's language, without an index. Default: if a name sorts. */
  readonly byLanguage?: boolean
  readonly expand?: string
  readonly fields?: string
  readonly perPage?: number
  /** False: does not update the list when records change. */
  readonly live?: boolean
  /** Reads the list again at this interval while the page is visible: for changes that are not told. */
  readonly everyMs?: number
  /** False: does not count the records, which may take longer than reading them. */
  readonly isCounted?: boolean
  /** False: reads nothing yet. */
  readonly ready?: boolean
}

/** Records, updated when records change. */
export interface List<T> {
  readonly items: readonly T[]
  /** A list of more than MOST_ROWS records has pages. */
  readonly page: number
  readonly pages: number
  /** Reads more records below those that are shown; undefined if there are none, or while they are read. */
  readonly grow: (() => void) | undefined
  /** A lower bound if the server did not count. */
  readonly total: number
  readonly isCounted: boolean
  /**
   * True until the first answer. True again after a change of the query if nothing is shown, and with
   * `live: false` in any case.
   */
  readonly loading: boolean
  /** The error of the last read, for example for an invalid filter. `items` keeps the records read before. */
  readonly fault: Fault | undefined
  goTo(page: number): void
  reload(): Promise<void>
}

/** All changes within this time cause only one new read; within a longer time if the list has grown. */
const CALM_MS = 400
const ROWS_A_CALM = 100

interface Shown<T> {
  readonly items: readonly T[]
  readonly pages: number
  readonly total: number
}

/** The status of an answer while the database is away or full, or a table is locked. */
const UNAVAILABLE = 503

const NOTHING: Shown<never> = { items: [], pages: 1, total: 0 }

/**
 * The first records of a collection, and more of them when the list grows. Reads them again 400 ms after
 * any change, to show new, moved and deleted records. Without `expand` and `fields`, changes of records on
 * the page are shown immediately.
 */
export function useList<T extends RecordModel>(
  collection: string,
  options: ListOptions = {},
): List<T> {
  const {
    filter = '',
    sort = '-created',
    byLanguage = sort.includes('name'),
    expand = '',
    fields = '',
    perPage = 30,
    live = true,
    everyMs,
    isCounted = true,
    ready = true,
  } = options
  const question = JSON.stringify([collection, filter, sort, expand, fields, perPage])
  const [at, setAt] = useState({ question, page: 1 })
  const page = at.question === question ? at.page : 1
  const [rows, grow] = useRows(question, perPage, page)
  const [shown, setShown] = useState<Shown<T>>()
  const [answered, setAnswered] = useState('')
  const [fault, setFault] = useState<Fault>()
  const begin = useLatest()
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)

  const reload = useCallback(async () => {
    clearTimeout(timer.current ?? undefined)
    timer.current = null
    if (!ready) return
    const isLatest = begin()
    try {
      const asked = {
        filter,
        sort,
        ...(byLanguage ? { sortLanguage: locale } : {}),
        ...(expand ? { expand } : {}),
        ...(fields ? { fields } : {}),
      }
      const found = await pb
        .collection<T>(collection)
        .getList(page, rows, isCounted ? asked : { ...asked, skipTotal: true })
      if (!isLatest()) return
      const isMore = found.items.length === rows
      const pages = isCounted ? Math.max(1, found.totalPages) : page + Number(isMore)
      const total = isCounted ? found.totalItems : page * rows + Number(isMore)
      // the page no longer exists, because its last record was deleted or moved
      if (page > pages) return setAt({ question, page: pages })
      const now = { items: found.items, pages, total }
      setShown((old) => ({ ...now, items: keepUnchanged(old?.items ?? [], found.items) }))
      if (live) keepList(question + page, now)
      setFault(undefined)
    } catch (error) {
      if (!isLatest()) return
      const fault = readFaultOfRead(error)
      const isAway = fault.status === 0 || fault.status === UNAVAILABLE
      if (isAway) setShown((old) => old ?? findKeptList(question + page))
      setFault(fault)
    }
    setAnswered(question)
  }, [question, page, rows, ready])

  useLayoutEffect(() => {
    void reload()
    return () => {
      begin()
      clearTimeout(timer.current ?? undefined)
    }
  }, [reload])

  // the connection's end is noticed elsewhere; a server without its database still answers
  useReadAgain(fault?.status === UNAVAILABLE, reload)

  useEffect(() => {
    if (everyMs === undefined) return
    const again = () => document.visibilityState === 'visible' && void reload()
    const timer = setInterval(again, everyMs)
    return () => clearInterval(timer)
  }, [reload, everyMs])

  const soon = () => {
    timer.current ??= setTimeout(() => void reload(), CALM_MS * Math.ceil(rows / ROWS_A_CALM))
  }
  useLive<T>(
    collection,
    live && ready ? '*' : undefined,
    ({ action, record }) => {
      if (action === 'update' && !expand && !fields)
        setShown((old) => old && { ...old, items: replaceInList(old.items, record) })
      soon()
    },
    soon,
  )

  const { items, pages, total } = shown ?? NOTHING
  const isEmpty = items.length === 0
  return {
    items,
    page,
    pages: grow ? 1 : pages,
    grow: items.length === rows && total > rows ? grow : undefined,
    total,
    isCounted,
    loading: answered !== question && (isEmpty || !live),
    fault,
    goTo: (next) => setAt({ question, page: next }),
    reload,
  }
}

const replaceInList = <T extends RecordModel>(items: readonly T[], record: T) =>
  items.map((item) => (item.id === record.id ? record : item))

const MAX_GROUPS = 500
const MAX_TEMPLATES = 500

export interface Groups extends List<ContactGroup> {
  findName(id: string): string
}

export function useGroups(): Groups {
  const list = useList<ContactGroup>('contact_groups', { sort: 'name', perPage: MAX_GROUPS })
  const names = useMemo(() => new Map(list.items.map(({ id, name }) => [id, name])), [list.items])
  return { ...list, findName: (id) => names.get(id) ?? '' }
}

/** An account has at most 100 labels. */
const MAX_LABELS = 100

export const useLabels = (): List<RecordOf<'labels'>> =>
  useList<RecordOf<'labels'>>('labels', { sort: 'name', perPage: MAX_LABELS })

export const useTemplates = (): readonly Template[] =>
  useList<Template>('sms_templates', { sort: 'name', perPage: MAX_TEMPLATES }).items

/** The first record that matches the filter, live. Reads nothing while `filter` is undefined. */
export function useOne<T extends RecordModel>(
  collection: string,
  filter: string | undefined,
  options: Pick<ListOptions, 'fields' | 'live' | 'sort'> = {},
): Pick<List<T>, 'loading' | 'fault'> & { readonly record: T | undefined } {
  const ready = filter !== undefined
  const { items, loading, fault } = useList<T>(collection, {
    ...options,
    filter,
    ready,
    perPage: 1,
  })
  return { record: ready ? items[0] : undefined, loading, fault }
}

/** Maximum lines that one request reads. */
export const MOST_LINES = 500

export function useLines(): readonly Line[] {
  return useList<Line>('lines', { sort: 'device.name,slot', expand: 'device', perPage: MOST_LINES })
    .items
}
