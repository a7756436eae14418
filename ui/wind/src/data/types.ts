import type { components } from '../api.d.ts';

type Schemas = components['schemas'];

/** The client's types forget that there are always two hours. */
export type Bucket = Omit<Schemas['Bucket'], 'hours'> & { hours: number[] };
export type Gauge = Schemas['NearGauge'];
export type LiveWind = Schemas['Live'];
export type MapModel = Schemas['MapModel'];
export type Measurement = Schemas['Measurement'];
export type Meta = Schemas['Meta'];
export type Model = Schemas['ModelInfo'];
export type Month = Schemas['Month'];
export type Overview = Schemas['Overview'];
export type Pin = Schemas['Pin'];
export type Place = Schemas['Place'];
export type Ranking = Omit<Schemas['Ranking'], 'buckets'> & { buckets: Bucket[] };
export type Series = Schemas['forecasts_types_Series'];
export type Span = Schemas['Span'];
export type Station = Schemas['Station'];
export type Statistics = Schemas['Ready'];
export type Taf = Schemas['Taf'];
