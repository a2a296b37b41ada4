import { useMemo } from 'react';
import { encodeQr } from './encode-qr.ts';

/** Light modules around the code, which scanners need. */
const QUIET = 4;

/** A text as a QR code, dark on light in every colour scheme; nothing if the text is too long. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => encodeQr(text), [text]);
  if (rows === null) return null;
  const size = rows.length + 2 * QUIET;
  const path = rows
    .flatMap((row, y) =>
      row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')),
    )
    .join('');
  return (
    <svg
      className="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}h-${size}z`} />
      <path fill="#000" d={path} />
    </svg>
  );
}
