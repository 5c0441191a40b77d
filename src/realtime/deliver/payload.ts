import type { Store } from '../../collections/catalog.ts'
import { isSqlError } from '../../db/errors.ts'
import { ApiError } from '../../errors.ts'
import { expandRecords } from '../../records/expand/expand.ts'
import { type ExpandTree, readExpand } from '../../records/expand/expand-paths.ts'
import { pickFields } from '../../records/render/pick.ts'
import { type RenderedRecord, renderedText } from '../../records/render/render.ts'
import { changeRequest, type RequestInfo } from '../../request/request.ts'
import type { Change } from '../changes/change.ts'
import type { GroupState } from '../clients/subscription-groups.ts'
import { expandKey } from './expand-key.ts'
import { eventMeter, isSmall } from './expand-size.ts'

/** Relations that an event may follow. */
const MAX_STEPS = 12
/** Characters of texts kept for groups that see the same; further ones are rendered again. */
const MAX_KEPT = 4 << 20

/** The events of one change: rendered once for all groups that see the same. */
export class Payloads {
  readonly #storeOf: (group: GroupState) => Store
  readonly #change: Change
  readonly #texts = new Map<string, Promise<string>>()
  #kept = 0

  constructor(storeOf: (group: GroupState) => Store, change: Change) {
    this.#storeOf = storeOf
    this.#change = change
  }

  /** `{"record":…,"action":…}` by the topic's `expand` and `fields`. */
  async text(group: GroupState, showsEmail: boolean): Promise<string> {
    const { request } = group
    const { fields = '', expand = '' } = request.query
    const store = this.#storeOf(group)
    const showsHidden = request.auth?.isSuperuser ?? false
    const tree = expand ? readExpand(expand) : undefined
    const expanded = tree && expandKey(store.catalog, this.#change.collection, tree, request)
    const key = JSON.stringify([showsHidden, showsEmail, fields, expand, expanded])
    const known = this.#texts.get(key)
    if (known) return known
    const text = this.#render(store, request, { showsHidden, showsEmail }, tree)
    this.#texts.set(key, text)
    this.#kept += (await text).length
    if (this.#kept > MAX_KEPT) this.#texts.delete(key)
    return text
  }

  async #render(
    store: Store,
    request: RequestInfo,
    visibility: RenderedRecord['visibility'],
    tree: ExpandTree | undefined,
  ): Promise<string> {
    const { collection, row, action } = this.#change
    const rendered: RenderedRecord = { collection, row, visibility }
    if (tree && stepsIn(tree) <= MAX_STEPS && !(await this.#expand(store, rendered, tree, request)))
      delete rendered.expand
    const whole = renderedText(rendered)
    const { fields } = request.query
    const record = fields ? pickFields(whole, fields) || whole : whole
    return `{"record":${record},"action":"${action}"}`
  }

  /** False for an expand that is too large, takes too long or is refused. */
  async #expand(
    store: Store,
    rendered: RenderedRecord,
    tree: ExpandTree,
    request: RequestInfo,
  ): Promise<boolean> {
    try {
      await expandRecords(store, [rendered], tree, changeRequest(request, { meter: eventMeter() }))
      return isSmall(rendered)
    } catch (error) {
      if (error instanceof ApiError || isSqlError(error)) return false
      throw error
    }
  }
}

const stepsIn = (tree: ExpandTree): number =>
  [...tree.values()].reduce((sum, rest) => sum + 1 + stepsIn(rest), 0)
