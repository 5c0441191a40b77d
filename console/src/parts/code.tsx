import { Copy } from './copy.tsx'

/** Code or a command with a copy button. Copies `original`, if the code is shown over several lines. */
export const CodeBlock = ({ code, original = code }: { code: string; original?: string }) => (
  <div class="code-block">
    <pre>
      <code>{code}</code>
    </pre>
    <Copy text={original} />
  </div>
)
