import { useState } from 'preact/hooks'
import { serverUrl } from '../../data/client.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Segments } from '../../parts/form/choices.tsx'

/** A read of the records API, as programs send it. */
interface Request {
  readonly collection: string
  /** The record's id; absent for a list. */
  readonly id?: string
  readonly query: Readonly<Record<string, string>>
}

const LANGUAGES = [
  ['curl', 'curl'],
  ['js', 'JavaScript'],
] as const

/** A request as code. The token is not in it: people share such code. */
export function RequestCode({ request }: { request: Request }) {
  const [language, setLanguage] = useState<'curl' | 'js'>('curl')
  return (
    <div class="stack">
      <Segments
        legend={t('Language#code')}
        choices={LANGUAGES}
        chosen={language}
        onChoose={setLanguage}
      />
      <CodeBlock code={language === 'curl' ? makeCurl(request) : makeScript(request)} />
      <p class="note">{t('The environment variable TOKEN holds the token of a sign-in.')}</p>
    </div>
  )
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const dropEmptyQuery = (query: Request['query']) =>
  Object.entries(query).filter(([, value]) => value !== '')

function makeCurl({ collection, id, query }: Request): string {
  const path = `/api/collections/${collection}/records${id ? `/${id}` : ''}`
  const values = dropEmptyQuery(query).map(
    (pair) => `--data-urlencode ${quoteForShell(pair.join('='))}`,
  )
  return [
    `curl -G ${quoteForShell(serverUrl + path)}`,
    '-H "Authorization: $TOKEN"',
    ...values,
  ].join(' \\\n  ')
}

function makeScript({
  collection,
  id,
  query: { page = '1', perPage = '30', ...query },
}: Request): string {
  const options = dropEmptyQuery(query).map(
    ([name, value]) => `\n  ${name}: ${JSON.stringify(value)},`,
  )
  const given = options.length > 0 ? `, {${options.join('')}\n}` : ''
  const call = id ? `getOne(${JSON.stringify(id)}${given})` : `getList(${page}, ${perPage}${given})`
  return `import PocketBase from 'pocketbase'

const pb = new PocketBase(${JSON.stringify(serverUrl)})
pb.authStore.save(process.env.TOKEN)
const found = await pb.collection(${JSON.stringify(collection)}).${call}
console.log(found)`
}
