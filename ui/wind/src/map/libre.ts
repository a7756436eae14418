// Loaded on its own, so that the first page stays small.
import 'maplibre-gl/dist/maplibre-gl.css';
import './libre.css';
import { setWorkerUrl } from 'maplibre-gl';
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';

// Pages may run no script but files of our own, and that is one.
setWorkerUrl(new URL(worker, location.href).href);

export { AttributionControl, Map as LibreMap, NavigationControl } from 'maplibre-gl';
