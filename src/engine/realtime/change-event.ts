import { ApiError } from '../../platform/api-errors.ts'
import { isSqlError } from '../../platform/db/database-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { limitCatalog } from '../records/check-rules.ts'
import { type ExpandTree, expandRecords, readExpand } from '../records/expand.ts'
import { pickFields } from '../records/pick.ts'
import { type RenderedRecord, renderCached } from '../records/render.ts'
import { AnswerMeter } from '../request/answer-limit.ts'
import type { RequestInfo } from '../request/request.ts'
import type { Client } from './client.ts'
import type { RecordChange } from './load-changes.ts'
import { isTransactionIncluded } from './snapshot.ts'
import type { GroupState } from './subscription-index.ts'
import type { Topic } from './topic.ts'

const MAX_STEPS = 12
/** Maximum characters of rendered events to keep for other groups. Further ones are rendered again. */
const MAX_KEPT = 4 << 20

/**
 * Returns a function that renders the change as `{"record":…,"action":…}`, by the `expand` and `fields` of a
 * group's topic. Groups without `expand` that see the same fields share one text.
 */
function makePayloadRenderer(
  storeOf: (group: GroupState) => Store,
  { collection, row, action, xid, position }: RecordChange,
  atMs: number,
) {
  // the relations of a deleted record are shown as they were before
  const past = action === 'delete' ? { xid, position } : undefined
  const texts = new Map<string, Promise<string>>()
  let kept = 0

  async function render(
    group: GroupState,
    visibility: RenderedRecord['visibility'],
    tree?: ExpandTree,
  ): Promise<string> {
    const rendered: RenderedRecord = { collection, row, visibility }
    const expanded =
      tree &&
      countExpandSteps(tree) <= MAX_STEPS &&
      !isChangeTooOld({ atMs }) &&
      (await expandedText(group, { ...rendered }, tree))
    const whole = expanded || renderCached(rendered)
    return `{"record":${pickFieldsOrWhole(whole, group.request.query)},"action":"${action}"}`
  }

  /** The record as JSON with its `expand`. Undefined if the expand is too large, too slow or not allowed. */
  async function expandedText(group: GroupState, rendered: RenderedRecord, tree: ExpandTree) {
    try {
      const meter = new AnswerMeter(undefined, 0, MAX_CHARACTERS, MAX_RECORDS)
      await expandRecords({ ...storeOf(group), past }, [rendered], tree, {
        ...group.request,
        meter,
      })
      const text = renderCached(rendered, (length) => meter.check(length))
      meter.check(text.length)
      return text
    } catch (error) {
      if (error instanceof ApiError || isSqlError(error)) return undefined
      throw error
    }
  }

  return async (group: GroupState, showsEmail: boolean): Promise<string> => {
    const { query, auth } = group.request
    const { fields = '', expand = '' } = query
    const visibility = { showsHidden: auth?.isSuperuser ?? false, showsEmail }
    // viewers may see different related records
    if (expand) return render(group, visibility, readExpand(expand))
    const key = JSON.stringify([visibility, fields])
    const known = texts.get(key)
    if (known) return known
    const text = render(group, visibility)
    texts.set(key, text)
    kept += (await text).length
    if (kept > MAX_KEPT) texts.delete(key)
    return text
  }
}

const countExpandSteps = (tree: ExpandTree): number =>
  [...tree.values()].reduce((sum, rest) => sum + 1 + countExpandSteps(rest), 0)

function pickFieldsOrWhole(whole: string, { fields }: RequestInfo['query']): string {
  try {
    return fields ? pickFields(whole, fields) : whole
  } catch {
    return whole
  }
}

/** Maximum records in an event with `expand`. A record counts as often as it occurs. */
const MAX_RECORDS = 1_000
const MAX_CHARACTERS = 1 << 20

export interface ChangeEvent {
  readonly store: Store
  readonly storeOf: (group: GroupState) => Store
  readonly change: RecordChange
  readonly textFor: ReturnType<typeof makePayloadRenderer>
  readonly bytes: number
  readonly atMs: number
}

const CHANGE_BYTES = 1_000

/** For a change older than this no SQL runs: SQL may read `_changes`, where rows stay for about a minute. */
const MAX_AGE_MS = 20_000

export function toEvent(all: CatalogStore, change: RecordChange): ChangeEvent {
  const store = all.forEverybody('realtime')
  const atMs = performance.now()
  const storeOf = ({ ticket, request: { auth } }: GroupState) => ({
    db: ticket ? all.database.for(ticket) : store.db,
    catalog: limitCatalog(all.catalog, auth?.limits),
  })
  return {
    store,
    storeOf,
    change,
    textFor: makePayloadRenderer(storeOf, change, atMs),
    bytes: CHANGE_BYTES + countRowCharacters(change.row),
    atMs,
  }
}

export const isChangeTooOld = ({ atMs }: Pick<ChangeEvent, 'atMs'>): boolean =>
  performance.now() - atMs > MAX_AGE_MS

/** Sends an event to the clients of a group. `email`: whether they see the email of an auth record. */
export async function sendEventTo(
  { textFor, change }: ChangeEvent,
  state: GroupState,
  email: boolean,
) {
  const { topic } = state.group
  const receivers = state.clients.filter((client) => isEventWanted(client, topic, change))
  if (receivers.length === 0) return
  const data = await textFor(state, email)
  for (const client of receivers) client.send(topic.name, data)
}

/** Whether the client has the topic now, and also had it when the change was committed. */
function isEventWanted({ subscriptions }: Client, { name }: Topic, { xid }: RecordChange): boolean {
  const subscription = subscriptions.get(name)
  return subscription !== undefined && !isTransactionIncluded(subscription.since, xid)
}

const countRowCharacters = (row: readonly unknown[]): number =>
  row.reduce<number>((sum, value) => sum + estimateValueSize(value), 0)

const estimateValueSize = (value: unknown): number =>
  typeof value === 'string' ? value.length : Array.isArray(value) ? countRowCharacters(value) : 8
