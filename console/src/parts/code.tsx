import { Copy } from './copy.tsx'

/** Code or a command to copy, as it stands. */
export const CodeBlock = ({ code }: { code: string }) => (
  <div class="code-block">
    <pre>
      <code>{code}</code>
    </pre>
    <Copy text={code} />
  </div>
)
