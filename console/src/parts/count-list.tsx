import { formatNumber } from '../language/words.ts'

/** A list of figures with their labels. */
export function CountList({ figures }: { figures: readonly (readonly [words: string, count: number])[] }) {
  return (
    <dl class="figures">
      {figures.map(([words, count]) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>{formatNumber(count)}</dd>
        </div>
      ))}
    </dl>
  )
}
