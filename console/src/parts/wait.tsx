/** Something is being read. */
export const Loading = ({ what = 'Loading' }: { what?: string }) => (
  <p class="loading" role="status">
    <span class="spinner" aria-hidden="true" /> {what}…
  </p>
)

/** How far long work is: `value` of `max`, told in words by `label`. */
export const Progress = ({ value, max, label }: { value: number; max: number; label: string }) => (
  <div class="progress">
    <progress value={value} max={Math.max(max, 1)} aria-label={label} />
    <span>{label}</span>
  </div>
)
