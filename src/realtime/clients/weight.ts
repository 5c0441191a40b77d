import { memoize } from '../../tools/memoize.ts'
import type { Topic } from './topic.ts'

/** What one client's subscription to a topic takes, beside the topic itself. */
export const SUBSCRIPTION_BYTES = 250

const TOPIC_BYTES = 800
const OPTION_BYTES = 100
/**
 * Measured: a filter's SQL and parameters take 25 to 40 bytes a byte, 80 if they are bound anew for each
 * change.
 */
const COMPILED_BYTES = 40
const COMPILED_WITH_TIME_BYTES = 80

/** A rule or filter that names the time gives another answer each time. */
export const dependsOnTime = (text: string) => /@(?!request\.|collection\.)|\bnow\b/i.test(text)

/** What a topic costs. */
export interface Weight {
  /** An estimate of its memory in bytes, once for each owner who is subscribed to it. */
  readonly bytes: number
  /** The same for topics that differ in values only; '' if nothing of the topic is compiled. */
  readonly shape: string
}

/** The weight of a topic, worked out once. */
export const weightOf = memoize((topic: Topic): Weight => {
  const { filter = '', expand = '' } = topic.query
  const options = Object.keys(topic.query).length + Object.keys(topic.headers).length
  const factor = dependsOnTime(filter) ? COMPILED_WITH_TIME_BYTES : COMPILED_BYTES
  const bytes = TOPIC_BYTES + 2 * topic.name.length + OPTION_BYTES * options + factor * filter.length
  return { bytes, shape: filter || expand ? `${shapeOf(filter)}\0${expand}` : '' }
})

const LITERAL = /'[^']*'|"[^"]*"|(?<=[\s=<>~,(!?])-?\d+(?:\.\d+)?(?=[\s&|,)]|$)/g

/**
 * A filter without its texts and numbers, in one linear pass: parsing would cost as much as the limit is to
 * save. Escapes and comments may hide where a text ends, so a filter with either is a shape of its own.
 */
function shapeOf(filter: string): string {
  return /\\|\/\//.test(filter) ? filter : filter.replace(LITERAL, '0')
}

/** What a subscribe request costs its owner: see Budgets.burst. */
export const costOf = (topics: readonly Topic[]): number =>
  REQUEST_COST + topics.reduce((sum, { name }) => sum + 1 + name.length / BYTES_PER_TOKEN, 0)

const REQUEST_COST = 10
const BYTES_PER_TOKEN = 256

/** A request whose client is connected to another node takes several statements. */
export const HAND_OVER_COST = 50
