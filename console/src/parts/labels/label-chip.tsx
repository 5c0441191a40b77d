import type { Label } from '../../data/labels.ts'
import './label-chip.css'

export const LabelChip = ({ label }: { label: Pick<Label, 'name' | 'color'> }) => (
  <bdi class={`label-chip ${label.color}`}>{label.name}</bdi>
)

/** The labels of a record, the first `most` of them. A label that is not read yet has no name. */
export function LabelChips({
  ids,
  labels,
  most = Number.POSITIVE_INFINITY,
}: {
  ids: readonly string[]
  labels: readonly Label[]
  most?: number
}) {
  if (ids.length === 0) return null
  return (
    <span class="label-chips">
      {ids.slice(0, most).map((id) => (
        <LabelChip
          key={id}
          label={labels.find((label) => label.id === id) ?? { name: '…', color: 'gray' }}
        />
      ))}
      {ids.length > most && <span>+{ids.length - most}</span>}
    </span>
  )
}
