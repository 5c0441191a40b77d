import { isSqlError } from '../../platform/db/errors.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Store } from '../collections/catalog.ts'
import { expandRecords } from '../records/expand.ts'
import { type ExpandTree, readExpand } from '../records/expand-tree.ts'
import { pickFields } from '../records/pick.ts'
import { type RenderedRecord, renderedText } from '../records/render.ts'
import { AnswerMeter } from '../request/answer-limit.ts'
import type { RequestInfo } from '../request/request.ts'
import type { Change } from './load-changes.ts'
import type { GroupState } from './subscription-index.ts'

const MAX_STEPS = 12
/** Maximum characters of rendered events to keep for other groups. Further ones are rendered again. */
const MAX_KEPT = 4 << 20

/**
 * Returns a function that renders the change as `{"record":…,"action":…}`, by the `expand` and `fields` of a
 * group's topic. Groups without `expand` that see the same fields share one text.
 */
export function payloadsOf(storeOf: (group: GroupState) => Store, { collection, row, action }: Change) {
  const texts = new Map<string, Promise<string>>()
  let kept = 0

  async function render(
    group: GroupState,
    visibility: RenderedRecord['visibility'],
    tree?: ExpandTree,
  ): Promise<string> {
    const rendered: RenderedRecord = { collection, row, visibility }
    const expanded = tree && stepsIn(tree) <= MAX_STEPS && (await expandedText(group, { ...rendered }, tree))
    const whole = expanded || renderedText(rendered)
    return `{"record":${pickedOr(whole, group.request.query)},"action":"${action}"}`
  }

  /** The record as JSON with its `expand`. Undefined if the expand is too large, too slow or not allowed. */
  async function expandedText(group: GroupState, rendered: RenderedRecord, tree: ExpandTree) {
    try {
      const meter = new AnswerMeter(undefined, 0, MAX_CHARACTERS, MAX_RECORDS)
      await expandRecords(storeOf(group), [rendered], tree, { ...group.request, meter })
      const text = renderedText(rendered, (length) => meter.check(length))
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

const stepsIn = (tree: ExpandTree): number =>
  [...tree.values()].reduce((sum, rest) => sum + 1 + stepsIn(rest), 0)

function pickedOr(whole: string, { fields }: RequestInfo['query']): string {
  try {
    return fields ? pickFields(whole, fields) : whole
  } catch {
    return whole
  }
}

/** Maximum records in an event with `expand`. A record counts as often as it occurs. */
const MAX_RECORDS = 1_000
const MAX_CHARACTERS = 1 << 20
