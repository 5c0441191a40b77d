import { useNames } from '../../data/use/use-known.ts'
import { t } from '../../language/words.ts'
import { moveFocus } from '../../parts/list/arrows.ts'
import { RowLink } from './conversation-row.tsx'
import type { Hit } from './use-conversations.ts'

/** The texts and notes that a search has found, each with a link to its place in the conversation. */
export function SearchHits({
  hits,
  hasOptedOut,
  title,
}: {
  hits: readonly Hit[]
  hasOptedOut: (number: string) => boolean
  title: string
}) {
  const findName = useNames(hits.map(({ number }) => number))
  return (
    <section>
      {title && <h3>{title}</h3>}
      <ul onKeyDown={moveFocus}>
        {hits.map(({ at, number, text, time, isNote, author }) => (
          <li key={at}>
            <RowLink
              at={at}
              number={number}
              time={time}
              name={findName(number)}
              facts={[hasOptedOut(number) && t('Opted out')]}
            >
              {isNote ? t('{name}: {text}', { name: author || t('Note'), text }) : text}
            </RowLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
