/** How something is, in five steps; every place that colours a state uses these. */
export type Tone = 'good' | 'active' | 'warn' | 'bad' | 'idle';
