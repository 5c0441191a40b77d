import { t } from '../language/words.ts'

/** Shown while something is read. */
export const Loading = ({ what = t('Loading') }: { what?: string }) => (
  <p class="loading" role="status">
    <span class="spinner" aria-hidden="true" /> {what}…
  </p>
)

/** A progress bar: `value` of `max`, described by `label`. `tone`: a limit is near, or reached. */
export const Progress = ({
  value,
  max,
  label,
  tone = '',
}: {
  value: number
  max: number
  label: string
  tone?: '' | 'warn' | 'bad'
}) => (
  <div class={`progress ${tone}`}>
    <progress value={value} max={Math.max(max, 1)} aria-label={label} />
    <span>{label}</span>
  </div>
)
