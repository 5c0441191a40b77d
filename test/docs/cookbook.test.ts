import PocketBase from 'pocketbase'
import { SUPERUSER, startServer } from '../support/server/start.ts'
import { FIXTURES, id, type Named, PASSWORD } from './cookbook-data.ts'
import { readPage } from './page.ts'

/** A row of the filter cookbook. */
interface Recipe {
  readonly question: string
  readonly collection: string
  readonly filter: string
  readonly sort: string
  readonly expand: string
}

/**
 * The recipes of docs/filters.md: the rows of its tables that have a question. "On `name`." or the first
 * column names the collection.
 */
function readRecipes(): Recipe[] {
  const recipes: Recipe[] = []
  let collection = ''
  let columns: string[] = []
  for (const line of readPage('docs/filters.md').split('\n')) {
    collection = /^On `(\w+)`\.$/.exec(line)?.[1] ?? collection
    if (!line.startsWith('|')) columns = []
    else if (columns.length === 0) columns = cellsOf(line)
    else if (columns.includes('question') && !/^\|-/.test(line)) {
      const cells = cellsOf(line)
      const cell = (name: string) => (cells[columns.indexOf(name)] ?? '').replace(/^`(.*)`$/, '$1')
      const { question, filter, sort, expand } = Object.fromEntries(
        ['question', 'filter', 'sort', 'expand'].map((name) => [name, cell(name)]),
      ) as Record<string, string>
      recipes.push({
        question: question!,
        collection: cell('on') || collection,
        filter: filter!,
        sort: sort!,
        expand: expand!,
      })
    }
  }
  return recipes
}

/** `\|` is how a table writes `|`. */
const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const recipes = readRecipes()
/** Messages that were sent, the latest first, as far as `holds` for when and by whom. */
const sent = (holds: (at: Date, record: Named) => boolean): string[] =>
  FIXTURES.sms_messages!.filter(
    (record) => record.message_type === 'outgoing' && holds(new Date(String(record.created)), record),
  )
    .sort((a, b) => String(b.created).localeCompare(String(a.created)))
    .map((record) => String(record.id))

/** What each recipe finds: in this order where it sorts, in any where it does not. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'What failed today, and why?': ['failed-today'],
  'What went to this number?': ['to-anna'],
  'What did we say to each other?': ['to-anna', 'from-anna'],
  'Which texts mention a parcel?': ['from-anna', 'to-anna'],
  'Which begin with "Your"?': ['to-anna'],
  'What went to Germany?': ['to-anna', 'from-anna', 'from-zoe', 'to-dora'],
  'What still waits, in the order in which it goes out?': ['stuck', 'scheduled', 'next-week', 'just-now'],
  'What has been waiting for more than an hour?': ['stuck'],
  'What is due in the next 24 hours?': ['scheduled'],
  'What must go out within the next hour, or not at all?': ['stuck'],
  'What became of this send?': ['in-batch-too', 'in-batch'],
  'What became of order 1042?': ['just-now'],
  'What did the desk phone do this month?': ['failed-today', 'just-now'],
  'Which were sent, but not reported as delivered within a day?': ['unreported'],
  'Where did a phone go silent?': ['silent'],
  'Which did somebody cancel?': ['failed-before'],
  'Which needed more than one attempt?': ['second-try'],
  'Which take more than three segments?': ['longer', 'long'],
  'What came in?': ['from-zoe', 'from-anna'],
  "Which replies came to the desk phone's number?": ['from-anna'],
  'What was sent in March 2026?': ['in-march'],
  "What was sent at night (22 to 6 o'clock UTC)?": sent(
    (at) => at.getUTCHours() >= 22 || at.getUTCHours() < 6,
  ),
  'What was sent on a weekend?': sent((at) => [0, 6].includes(at.getUTCDay())),
  'What went to members of a group? (superusers)': ['to-anna'],
  'What went to somebody who has opted out? (superusers)': ['to-dora'],
  'What did the users of one customer send? (superusers)': sent((_, { user }) => user === id('ann')),
  'Who is in the group?': ['anna', 'bert'],
  'Who is in this group and no other?': ['anna'],
  'Who is in more than one group?': ['bert'],
  'Who is in no group?': ['carl'],
  'Who has opted out, the latest first?': ['dora', 'carl'],
  'Who is called Anna, however it is written?': ['anna'],
  'Who lives in Berlin? (`data` holds what you like)': ['anna'],
  'Who lives within 10 km of the Alexanderplatz?': ['anna'],
  'To whom was nothing ever sent? (superusers)': ['bert', 'carl', 'emil'],
  'Which have not been seen for an hour?': ['kitchen'],
  'Which were paired and never seen again?': ['attic'],
  'Which have had a failed message today?': ['desk'],
  'Which have a limit?': ['attic', 'desk'],
  'Which are phones or modems, not simulators?': ['kitchen', 'desk', 'bens'],
  'Who has a quota of their own? (superusers)': ['ben', 'ann'],
  'Who has no device? (superusers)': ['eve'],
  'Who has never sent anything? (superusers)': ['eve'],
  'Who has not confirmed their address? (superusers)': ['eve'],
  'Who has used up this month?': ['annnow'],
  'Which keys were never used?': ['fresh'],
  'Which keys expire within 30 days?': ['fresh'],
  'Which templates use a variable?': ['withcode'],
  'What happened to this message?': ['n1', 'n2'],
  'Which failed at the radio today?': ['n4'],
  'Which hear of failures?': ['failures'],
  'Which were not delivered at once?': ['later', 'gaveup'],
}

/** What is of whom, for what a user sees. */
const OWNERS = new Map(
  Object.values(FIXTURES)
    .flat()
    .map((record) => [record.id, record.user]),
)

const superuser = new PocketBase()
const ann = new PocketBase()
for (const client of [superuser, ann]) client.autoCancellation(false)

const server = await startServer({ fixtures: FIXTURES })
for (const client of [superuser, ann]) client.baseURL = server.url
await superuser.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
await ann.collection('users').authWithPassword('ann@example.com', PASSWORD)

/** Ids as the recipe orders them; in the order of the alphabet where it does not sort. */
const inOrder = ({ sort }: Recipe, ids: readonly string[]) => (sort ? [...ids] : ids.toSorted())

async function find(client: PocketBase, recipe: Recipe): Promise<string[]> {
  const { collection, filter, sort, expand } = recipe
  const options = { ...(sort && { sort }), ...(expand && { expand }) }
  const found = await client.collection(collection).getFullList({ filter, ...options })
  return inOrder(
    recipe,
    found.map((record) => record.id),
  )
}

test('the cookbook has at least thirty recipes, and each has an answer in this test', () => {
  expect(recipes.length).toBeGreaterThanOrEqual(30)
  expect(recipes.map(({ question }) => question).toSorted()).toEqual(Object.keys(ANSWERS).toSorted())
})

describe.each(recipes)('$collection: $question', (recipe) => {
  const answer = inOrder(recipe, (ANSWERS[recipe.question] ?? []).map(id))

  test('a superuser finds all matching records', async () =>
    expect(await find(superuser, recipe)).toEqual(answer))

  if (recipe.question.endsWith('(superusers)')) return
  test('a user finds the matching records of their own', async () => {
    expect(await find(ann, recipe)).toEqual(answer.filter((each) => OWNERS.get(each) === id('ann')))
  })
})
