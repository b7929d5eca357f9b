const notFound = {
  title: 'Page not found',
  body: 'There’s nothing at this address. Check the link for typos.',
  links: 'Where to go from here',
  returning: 'Returning home in %{smart_count} second. |||| Returning home in %{smart_count} seconds.',
  stay: 'Stay here',
};

export default notFound;
