import { encode } from 'uqr'
import '../style/code-block.css'

/** A QR code, dark on light in both themes, because cameras need that. `label` is for screen readers. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 })
  const squares = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={squares.join('')} fill="#000000" />
    </svg>
  )
}
