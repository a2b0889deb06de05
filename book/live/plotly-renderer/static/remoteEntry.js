// Draws Plotly figures in live cells with the plotly.js that the site has already.
//
// JupyterLab loads extensions as module-federation containers: an object with `init`, which hands
// over the modules the application shares, and `get`, which returns a module of ours. Written by
// hand it is small and needs no bundler.
(() => {
  const NAME = "chapterkit-plotly-renderer";
  const MIME = "application/vnd.plotly.v1+json";
  // <site>/lite/extensions/<name>/static/remoteEntry.js: the site is what stands before /lite/.
  const site = document.currentScript.src.split("/lite/extensions/")[0];
  const script = `${site}/_static/vendor/plotly-basic.min.js`;

  let loading = null;
  function plotly() {
    loading ||= new Promise((resolve, reject) => {
      const tag = document.createElement("script");
      tag.src = script;
      tag.onload = () => resolve(window.Plotly);
      tag.onerror = () => {
        loading = null;
        reject(new Error("The chart library of this site could not be loaded."));
      };
      document.head.append(tag);
    });
    return loading;
  }

  function inTheme(layout) {
    const style = getComputedStyle(document.body);
    const color = (name) => style.getPropertyValue(name).trim();
    const line = { gridcolor: color("--jp-border-color2"), zerolinecolor: color("--jp-border-color1") };
    return {
      autosize: true,
      margin: { t: layout.title ? 40 : 16, r: 16, b: 48, l: 56 },
      paper_bgcolor: "transparent",
      plot_bgcolor: "transparent",
      ...layout,
      // A figure from Plotly's Python brings a template of light colours with it.
      template: undefined,
      font: { color: color("--jp-content-font-color1"), ...layout.font },
      xaxis: { ...line, ...layout.xaxis },
      yaxis: { ...line, ...layout.yaxis },
    };
  }

  async function extension(shared) {
    const versions = shared["@lumino/widgets"];
    const { Widget } = (await versions[Object.keys(versions)[0]].get())();

    class PlotlyFigure extends Widget {
      constructor() {
        super();
        this.node.style.minHeight = "20rem";
      }
      async renderModel(model) {
        const figure = model.data[MIME] ?? {};
        const Plotly = await plotly();
        const config = { responsive: true, displaylogo: false, ...figure.config };
        await Plotly.react(this.node, figure.data ?? [], inTheme(figure.layout ?? {}), config);
      }
      onResize() {
        if (this.node.data) window.Plotly.Plots.resize(this.node);
      }
      dispose() {
        if (this.node.data) window.Plotly.purge(this.node);
        super.dispose();
      }
    }
    const factory = { safe: true, mimeTypes: [MIME], createRenderer: () => new PlotlyFigure() };
    return [{ id: `${NAME}:factory`, rendererFactory: factory, rank: 0, dataType: "json", fileTypes: [] }];
  }

  let shared = null;
  window._JUPYTERLAB ||= {};
  window._JUPYTERLAB[NAME] = {
    init(scope) {
      shared = scope;
    },
    async get() {
      const plugins = await extension(shared);
      return () => ({ __esModule: true, default: plugins });
    },
  };
})();
