/** The people of the shop in shop-day.test.ts, and what is written between them. */

export const CUSTOMERS = 200
export const CITIES = ['Kiel', 'Bremen', 'Köln', 'Frankfurt am Main'] as const

export const TEMPLATE =
  'Hello {{name}}, our winter sale in {{city}} begins on Saturday at nine. Boots and coats are at half price. Reply with your size, or with STOP to get no more.'
/** The same as somebody types it. */
export const TYPED = TEMPLATE.replace('{{name}}', '{{Name}}').replace('{{city}}', '{{ City }}')
/** One each; the longest city, which every fourth has, makes it two. */
export const SEGMENTS = 250

export const nameOf = (i: number) => `Customer ${i}`
export const numberOf = (i: number) => `+49151200${10_000 + i}`
const cityOf = (i: number) => CITIES[i % CITIES.length]!

/** The template as a customer gets it. */
export const textFor = (i: number) => TEMPLATE.replace('{{name}}', nameOf(i)).replace('{{city}}', cityOf(i))

/** A file to import: numbers as people write them, and a column that contacts keep. */
export const SHEET = [
  'Name,Mobile,City',
  ...Array.from({ length: CUSTOMERS }, (_, i) => `${nameOf(i)},0151 200${10_000 + i},${cityOf(i)}`),
].join('\n')

/** Who replies, in the order in which they do. */
export const REPLIERS = Array.from({ length: 12 }, (_, i) => i * 7)
/** The one of them who wants no more texts. */
export const STOPPED = 35
export const replyOf = (i: number) => (i === STOPPED ? 'STOP' : `Do you have size ${30 + i / 7}?`)

/** Somebody who wrote before, and is no customer. */
export const STRANGER = '+447700900123'
