import type { Summary } from '../measure/statistics.js';
import type { Result, ResultRow } from './result.js';

const connections = 16;
const panels = [
  { metric: 'callsPerSecond', title: 'Calls per second', better: 'longer is better', digits: 0 },
  { metric: 'cpuMicrosecondsPerCall', title: 'CPU time per call, µs', better: 'shorter is better', digits: 0 },
] as const;

const width = 860;
const left = 170;
const plot = 560;
const barHeight = 20;
const pitch = 30;

// Readers see the picture on a light or a dark page; it has no background of its own.
const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .quiet { fill: #59636e; font-size: 12px; font-weight: 400; }
  .bar { fill: #8c959f; }
  .own { fill: #1f6feb; }
  .range { stroke: #1f2328; stroke-width: 1.5; }
  .grid { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .bar { fill: #656c76; }
    .own { fill: #4493f8; }
    .range { stroke: #f0f6fc; }
    .grid { stroke: #3d444d; }
  }`;

const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The step between grid lines: 1, 2 or 5 times a power of ten, about four to an axis. */
function gridStep(max: number): number {
  const power = 10 ** Math.floor(Math.log10(max / 4));
  return ([1, 2, 5].find((factor) => factor * power * 4.5 >= max) ?? 10) * power;
}

function bar(target: string, { median, min, max }: Summary, scale: number, y: number, digits: number): string {
  const middle = y + barHeight / 2;
  const x = (value: number): string => (left + value * scale).toFixed(1);
  const value = median.toLocaleString('en', { maximumFractionDigits: digits });
  return `
  <text x="${left - 10}" y="${middle + 4}" text-anchor="end">${escape(target)}</text>
  <rect class="bar${target === 'packhost' ? ' own' : ''}" x="${left}" y="${y}" width="${(median * scale).toFixed(1)}" height="${barHeight}" rx="2"/>
  <path class="range" d="M${x(min)} ${middle}H${x(max)}M${x(min)} ${middle - 4}v8M${x(max)} ${middle - 4}v8"/>
  <text x="${(left + max * scale + 8).toFixed(1)}" y="${middle + 4}">${value}</text>`;
}

function panel(rows: readonly ResultRow[], { metric, title, better, digits }: (typeof panels)[number], top: number): string {
  const bars = rows.flatMap(({ target, summary }) => {
    const found = summary[metric];
    return found ? [{ target, found }] : [];
  });
  const most = Math.max(...bars.map(({ found }) => found.max));
  const scale = plot / most;
  const bottom = top + 18 + bars.length * pitch;
  const step = gridStep(most);
  const grid = Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => {
    const x = (left + index * step * scale).toFixed(1);
    return `
  <path class="grid" d="M${x} ${top + 10}V${bottom}"/>
  <text class="quiet" x="${x}" y="${bottom + 16}" text-anchor="middle">${(index * step).toLocaleString('en')}</text>`;
  });
  return `
  <text class="title" x="${left}" y="${top}">${title} <tspan class="quiet">${better}</tspan></text>${grid.join('')}${bars
    .map(({ target, found }, index) => bar(target, found, scale, top + 18 + index * pitch, digits))
    .join('')}`;
}

/** The throughput result as a picture: medians as bars, with a line from the least to the greatest round. */
export function throughputChart({ results, machine, versions, date }: Result): string {
  const rows = results.filter(({ parameters }) => parameters['connections'] === connections);
  const panelHeight = 18 + rows.length * pitch + 64;
  const height = 20 + panels.length * panelHeight + 20;
  const caption = `An echo over ${connections} connections; median of the rounds, lines from least to greatest. Node.js ${versions['node'] ?? ''}, ${machine.cores} cores (${machine.model}), ${date.slice(0, 10)}.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(caption)}">
  <style>${style}
  </style>${panels.map((one, index) => panel(rows, one, 30 + index * panelHeight)).join('')}
  <text class="quiet" x="20" y="${height - 12}">${escape(caption)}</text>
</svg>
`;
}
