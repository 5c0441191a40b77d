import { lineWords, useLines } from '../../data/use/use-lines.ts'
import { CheckList } from './field.tsx'

/** Some of the user's lines; nothing to choose with one line. */
export function LineChoice({
  legend,
  chosen,
  onChosen,
}: {
  legend: string
  chosen: readonly string[]
  onChosen: (lines: readonly string[]) => void
}) {
  const lines = useLines()
  if (lines.length < 2) return null
  const choices = lines.map((line) => [line.id, lineWords(line)] as const)
  return <CheckList name="line" {...{ legend, choices, chosen, onChosen }} />
}
